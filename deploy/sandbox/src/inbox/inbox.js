// The inbox page. It requests the list every two seconds and updates only what has changed, so that
// nothing flickers and an open mail stays as it is.
(function () {
  'use strict';

  const at = function (id) { return document.getElementById(id); };
  const panes = at('panes');
  const rows = new Map();
  let version = -1;
  let mails = [];
  let openId = '';
  let read = new Set();
  let first = true;

  function when(text) {
    const time = new Date(text);
    const today = time.toDateString() === new Date().toDateString();
    const form = today
      ? { hour: 'numeric', minute: '2-digit' }
      : { day: 'numeric', month: 'short' };
    return new Intl.DateTimeFormat('en-IN', form).format(time);
  }

  function part(tag, name) {
    const element = document.createElement(tag);
    element.className = name;
    return element;
  }

  function files(count) {
    if (count === 0) return '';
    return (count === 1 ? '1 attachment' : count + ' attachments') + ' · ';
  }

  function rowOf(mail) {
    const item = document.createElement('li');
    const button = part('button', '');
    button.type = 'button';
    const to = part('span', 'to');
    const time = part('time', '');
    const subject = part('span', 'subject');
    const preview = part('span', 'preview');
    to.textContent = mail.to.join(', ');
    time.textContent = when(mail.receivedAt);
    time.dateTime = mail.receivedAt;
    subject.textContent = mail.subject || '(no subject)';
    preview.textContent = files(mail.attachments) + mail.preview;
    button.append(to, time, subject, preview);
    button.addEventListener('click', function () {
      window.location.hash = mail.id;
    });
    item.append(button);
    return item;
  }

  // Orders the rows by moving only those at a wrong position.
  function arrange() {
    const wanted = at('search').value.trim().toLowerCase();
    const shown = mails.filter(function (mail) {
      const text = [mail.from, mail.to.join(' '), mail.subject, mail.preview].join(' ');
      return text.toLowerCase().includes(wanted);
    });
    const keep = new Set(shown.map(function (mail) { return mail.id; }));
    rows.forEach(function (row, id) {
      if (!keep.has(id)) {
        row.remove();
        rows.delete(id);
      }
    });
    let next = at('list').firstElementChild;
    shown.forEach(function (mail) {
      if (!rows.has(mail.id)) rows.set(mail.id, rowOf(mail));
      const row = rows.get(mail.id);
      row.classList.toggle('unread', !read.has(mail.id));
      row.firstElementChild.setAttribute('aria-current', String(mail.id === openId));
      if (row === next) next = next.nextElementSibling;
      else at('list').insertBefore(row, next);
    });
    at('count').textContent = mails.length > 0 ? String(mails.length) : '';
    at('clear').hidden = mails.length === 0;
    at('empty').hidden = shown.length > 0;
    at('empty').textContent = mails.length > 0
      ? 'No mail matches.' : 'No mail yet. Whatever the website sends appears here.';
  }

  function size(base64) {
    const bytes = Math.floor(base64.length * 3 / 4);
    return bytes < 1024 ? bytes + ' B' : Math.ceil(bytes / 1024) + ' kB';
  }

  function fileLink(mail, file, index) {
    const item = document.createElement('li');
    const link = document.createElement('a');
    const note = document.createElement('small');
    link.href = '/inbox/' + mail.id + '/' + index;
    link.download = file.filename;
    link.textContent = file.filename + ' ';
    note.textContent = size(file.base64);
    link.append(note);
    item.append(link);
    return item;
  }

  // The frame runs no scripts. Links open in a new tab. The frame is as high as its mail.
  function frame(html) {
    const view = at('html');
    view.onload = function () {
      const inside = view.contentDocument;
      if (!inside || !inside.body) return;
      view.style.height = '0';
      view.style.height = Math.max(320, inside.documentElement.scrollHeight + 2) + 'px';
    };
    view.srcdoc = '<base target="_blank">' + html;
  }

  const VIEWS = ['html', 'text', 'headers'];

  function look(view) {
    VIEWS.forEach(function (name) {
      at(name).hidden = name !== view;
      at('as-' + name).setAttribute('aria-pressed', String(name === view));
    });
  }

  function headerLines(mail) {
    return (mail.headers || []).map(function (header) {
      return header.name + ': ' + header.value;
    }).join('\n');
  }

  function write(mail) {
    at('subject').textContent = mail.subject || '(no subject)';
    at('from').textContent = mail.fromName ? mail.fromName + ' <' + mail.from + '>' : mail.from;
    at('to').textContent = mail.to.join(', ');
    at('received').textContent = new Date(mail.receivedAt).toLocaleString('en-IN');
    at('received').dateTime = mail.receivedAt;
    at('files').replaceChildren.apply(at('files'), mail.attachments.map(function (file, index) {
      return fileLink(mail, file, index);
    }));
    const parts = { html: mail.html, text: mail.text, headers: headerLines(mail) };
    at('text').textContent = parts.text || '';
    at('headers').textContent = parts.headers;
    VIEWS.forEach(function (name) { at('as-' + name).hidden = !parts[name]; });
    at('views').hidden = VIEWS.filter(function (name) { return parts[name]; }).length < 2;
    look(mail.html ? 'html' : 'text');
    frame(mail.html || '');
  }

  async function open() {
    const id = window.location.hash.slice(1);
    openId = id;
    panes.classList.toggle('reading', id !== '');
    at('nothing').hidden = id !== '';
    at('article').hidden = true;
    if (id !== '') {
      const response = await fetch('/api/inbox/' + encodeURIComponent(id));
      if (openId !== id) return;
      if (!response.ok) {
        window.location.hash = '';
        return;
      }
      write(await response.json());
      at('article').hidden = false;
      at('subject').focus({ preventScroll: true });
      read.add(id);
    }
    arrange();
  }

  async function refresh() {
    try {
      const response = await fetch('/inbox/list');
      const answer = await response.json();
      if (answer.version !== version || first) {
        version = answer.version;
        mails = answer.mails;
        // Mails from before the page was opened do not count as new.
        if (first) read = new Set(mails.map(function (mail) { return mail.id; }));
        first = false;
        if (openId && !mails.some(function (mail) { return mail.id === openId; })) {
          window.location.hash = '';
        }
        arrange();
      }
    } catch (error) {
      // The sandbox is restarting. The next poll will reach it.
    }
    window.setTimeout(refresh, 2000);
  }

  at('search').addEventListener('input', arrange);
  at('back').addEventListener('click', function () { window.location.hash = ''; });
  VIEWS.forEach(function (name) {
    at('as-' + name).addEventListener('click', function () { look(name); });
  });
  at('clear').addEventListener('click', function () {
    if (window.confirm('Remove every mail from this inbox?')) {
      fetch('/api/inbox', { method: 'DELETE' });
    }
  });
  window.addEventListener('hashchange', open);
  refresh().then(open);
})();
