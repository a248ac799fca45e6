// The checkout's frame: card and UPI, the bank's answers, and messages to the page. Only the last
// four digits of a card are ever sent. It accepts messages only from the page that opened it.
(function () {
  'use strict';

  const CHANNEL = 'sandbox-checkout';
  // The last digits of the card whose bank asks for approval.
  const ASKING = '3220';
  const asked = new URLSearchParams(window.location.search);
  const keyId = asked.get('key_id') || '';
  const orderId = asked.get('order_id') || '';
  const page = asked.get('origin') || '';
  // The address that receives the result by a form, when the page was left for this one.
  const callback = asked.get('callback_url') || '';
  const orderPath = '/checkout/orders/' + encodeURIComponent(orderId);
  const at = function (id) { return document.getElementById(id); };

  let options = { theme: {}, prefill: {}, escape: true, confirmClose: false };
  let attempts = 0;
  let busy = false;
  let over = false;
  let timer = 0;
  let bank = null;

  function tell(message) {
    if (callback) return comeBack(message);
    if (window.parent === window || !page) return;
    window.parent.postMessage(Object.assign({ channel: CHANNEL }, message), page);
  }

  function comeBack(message) {
    if (message.type === 'succeeded') postTo(callback, message.answer);
    if (message.type === 'dismissed') {
      const cancelled = { 'error[code]': 'BAD_REQUEST_ERROR', 'error[reason]': 'payment_cancelled' };
      postTo(callback, cancelled);
    }
  }

  function show(id) {
    ['loading', 'ways', 'sure', 'done', 'broken'].forEach(function (part) {
      at(part).hidden = part !== id;
    });
  }

  // The website's colour, with black or white text on it, whichever has more contrast.
  function paint(color) {
    if (!/^#[0-9a-f]{6}$/i.test(color || '')) return;
    const light = [1, 3, 5].map(function (from) {
      const part = parseInt(color.slice(from, from + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : Math.pow((part + 0.055) / 1.055, 2.4);
    });
    const luminance = 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
    const root = document.querySelector('.checkout').style;
    root.setProperty('--accent', color);
    root.setProperty('--on-accent', luminance > 0.18 ? '#101614' : '#ffffff');
  }

  // Whether the website hides a flow of a method.
  function hides(method, flow) {
    const display = (options.config && options.config.display) || {};
    return (display.hide || []).some(function (hidden) {
      return hidden.method === method && (hidden.flows || []).includes(flow);
    });
  }

  // Whether a flow of a method is offered. The website's first instrument with that method decides;
  // without one, or without a list of flows in it, every flow is offered.
  function offers(method, flow) {
    const display = (options.config && options.config.display) || {};
    const all = Object.values(display.blocks || {});
    const instruments = all.flatMap(function (block) { return block.instruments || []; });
    const first = instruments.find(function (it) { return it.method === method; });
    return !first || !first.flows || first.flows.includes(flow);
  }

  // Where UPI IDs are not hidden, they replace the QR code, and payments with them fail.
  function offerUpi() {
    const collect = !hides('upi', 'collect');
    at('collect').hidden = !collect;
    at('in-app').hidden = collect;
    at('scan').hidden = !offers('upi', 'qr');
  }

  function passOn() {
    ask(orderPath + '/opened', { referer: options.referer, config: options.config })
      .catch(function () { /* It is for tests to miss. */ });
  }

  function dress(given) {
    options = given;
    offerUpi();
    passOn();
    paint(options.theme && options.theme.color);
    const name = options.name || 'Checkout';
    at('name').textContent = name;
    at('mark').textContent = name.slice(0, 1).toUpperCase();
    at('description').textContent = options.description || '';
    choose((options.prefill && options.prefill.method) === 'upi' ? 'upi' : 'card');
  }

  function choose(way) {
    at('card').hidden = way !== 'card';
    at('upi').hidden = way !== 'upi';
    at('by-card').setAttribute('aria-pressed', String(way === 'card'));
    at('by-upi').setAttribute('aria-pressed', String(way === 'upi'));
    complain('');
    if (way === 'upi' && !at('qr').src) at('qr').src = orderPath + '/qr.svg';
  }

  function complain(text) {
    at('problem').textContent = text;
    at('problem').hidden = text === '';
  }

  function broken(why) {
    over = true;
    at('broken-why').textContent = why;
    show('broken');
  }

  async function ask(path, body) {
    const request = body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(Object.assign({ key_id: keyId }, body)),
    };
    const response = await fetch(path, request || undefined);
    if (response.status === 204) return null;
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error.description);
    return answer;
  }

  function fetchOrder() {
    return ask(orderPath + '?key_id=' + encodeURIComponent(keyId));
  }

  function succeed(answer) {
    if (over) return;
    over = true;
    show('done');
    window.setTimeout(function () {
      tell({ type: 'succeeded', answer: answer });
    }, 900);
  }

  function fold(order) {
    if (order.answer) {
      succeed(order.answer);
    } else if (order.attempts > attempts && order.failure) {
      complain(order.failure.description);
      tell({ type: 'failed', error: order.failure });
    }
    attempts = order.attempts;
  }

  async function pay(button, body) {
    if (busy || over) return null;
    busy = true;
    let order = null;
    complain('');
    button.setAttribute('aria-busy', 'true');
    const label = button.textContent;
    button.textContent = 'Asking the bank…';
    try {
      order = await ask(orderPath + '/payments', body);
      fold(order);
    } catch (error) {
      complain(error instanceof TypeError || error instanceof SyntaxError
        ? 'The bank did not answer. Please wait a moment and try again.'
        : error.message);
    }
    button.textContent = label;
    button.removeAttribute('aria-busy');
    busy = false;
    return order;
  }

  // Some banks ask for approval on a page of their own. It opens in a window, which a browser
  // allows only after a click, or in this tab when the page was left for this one.
  async function payByCard(last4) {
    const asks = last4 === ASKING;
    bank = asks && !callback ? window.open('', '', 'popup,width=460,height=640') : null;
    if (asks && !callback && !bank) {
      complain('Your browser keeps the window of your bank shut. Allow it and try again.');
      return;
    }
    const order = await pay(at('pay-card'), { method: 'card', last4: last4 });
    if (!order || !order.bank_url) {
      if (bank) bank.close();
    } else if (callback) {
      window.location.assign(
        order.bank_url + '?callback_url=' + encodeURIComponent(callback));
    } else {
      bank.location = order.bank_url;
      waitForBank(bank);
    }
  }

  async function waitForBank(opened) {
    if (bank !== opened || over) return;
    if (!opened.closed) {
      window.setTimeout(function () { waitForBank(opened); }, 300);
      return;
    }
    // The window also closes by itself after the payer's decision.
    if (await bankAnswered(opened)) return;
    const failure = {
      code: 'BAD_REQUEST_ERROR', description: 'The window of your bank was closed.',
      source: 'customer', step: 'payment_authentication', reason: 'payment_cancelled',
      metadata: { order_id: orderId },
    };
    complain(failure.description);
    tell({ type: 'failed', error: failure });
  }

  // Whether the payer has decided.
  async function bankAnswered(opened) {
    const order = await fetchOrder();
    if (bank !== opened) return true;
    bank = null;
    attempts = Math.min(attempts, order.attempts - 1);
    fold(order);
    return Boolean(order.answer || order.failure);
  }

  // A payer may approve on another device, so the frame polls while it is open.
  async function watch() {
    window.clearTimeout(timer);
    if (over) return;
    if (!busy) {
      try {
        const order = await fetchOrder();
        if (!busy) fold(order);
      } catch (error) {
        // A failed poll is made up for by the next one.
      }
    }
    timer = window.setTimeout(watch, 1500);
  }

  function flag(field, wrong, text) {
    const note = at(field + '-problem');
    note.textContent = wrong ? text : '';
    note.hidden = !wrong;
    at(field).setAttribute('aria-invalid', String(wrong));
    return wrong;
  }

  function submitCard(event) {
    event.preventDefault();
    const number = at('number').value.replace(/\D/g, '');
    const expiry = /^(0[1-9]|1[0-2])\/(\d{2})$/.exec(at('expiry').value.trim());
    const now = new Date();
    const months = expiry ? (2000 + Number(expiry[2])) * 12 + Number(expiry[1]) : 0;
    const past = months < now.getFullYear() * 12 + now.getMonth() + 1;
    const wrong = [
      flag('number', number.length < 13 || !luhn(number), 'Check the card number.') && 'number',
      flag('expiry', past, 'Check the month and year.') && 'expiry',
      flag('cvv', !/^\d{3,4}$/.test(at('cvv').value), 'Check the 3 digits.') && 'cvv',
    ].filter(Boolean);
    if (wrong.length > 0) {
      at(wrong[0]).focus();
      return;
    }
    payByCard(number.slice(-4));
  }

  function luhn(number) {
    const sum = number.split('').reverse().reduce(function (total, digit, index) {
      const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
    return sum % 10 === 0;
  }

  function spaced() {
    const digits = at('number').value.replace(/\D/g, '').slice(0, 19);
    at('number').value = digits.replace(/(.{4})(?=.)/g, '$1 ');
  }

  function slashed() {
    const digits = at('expiry').value.replace(/\D/g, '').slice(0, 4);
    at('expiry').value = digits.length > 2 ? digits.slice(0, 2) + '/' + digits.slice(2) : digits;
  }

  function leave() {
    if (busy) return;
    over = true;
    window.clearTimeout(timer);
    tell({ type: 'dismissed' });
  }

  function cancel() {
    if (!at('done').hidden) return;
    if (!options.confirmClose || over || !at('sure').hidden) {
      leave();
      return;
    }
    show('sure');
    at('sure-title').focus();
  }

  function listen() {
    at('by-card').addEventListener('click', function () { choose('card'); });
    at('by-upi').addEventListener('click', function () { choose('upi'); });
    at('card').addEventListener('submit', submitCard);
    at('number').addEventListener('input', spaced);
    at('expiry').addEventListener('input', slashed);
    at('approve').addEventListener('click', function () {
      pay(at('approve'), { method: 'upi', approve: true });
    });
    at('collect').addEventListener('submit', function (event) {
      event.preventDefault();
      pay(at('pay-collect'), { method: 'upi', flow: 'collect' });
    });
    at('decline').addEventListener('click', function () {
      pay(at('decline'), { method: 'upi', approve: false });
    });
    document.querySelectorAll('.hint').forEach(function (hint) {
      hint.addEventListener('click', function () {
        at('number').value = hint.dataset.card;
        flag('number', false, '');
      });
    });
    at('cancel').addEventListener('click', cancel);
    at('leave').addEventListener('click', leave);
    at('back').addEventListener('click', leave);
    at('stay').addEventListener('click', function () {
      show('ways');
      at('cancel').focus();
    });
    document.addEventListener('keydown', function (event) {
      if (event.key === 'Escape' && options.escape) cancel();
    });
    window.addEventListener('message', function (event) {
      const own = event.origin === window.location.origin && event.source === bank;
      if (own && event.data && event.data.type === 'bank') bankAnswered(bank);
      if (event.source !== window.parent || event.origin !== page) return;
      const message = event.data;
      if (!message || message.channel !== CHANNEL) return;
      if (message.type === 'options') dress(message.options);
      if (message.type === 'escape' && options.escape) cancel();
    });
  }

  async function begin() {
    listen();
    if (callback) dress(JSON.parse(asked.get('options') || '{}'));
    else tell({ type: 'ready' });
    try {
      const order = await fetchOrder();
      attempts = order.attempts;
      at('amount').textContent = order.amount_text;
      at('pay-card').textContent = 'Pay ' + order.amount_text;
      if (order.paid) {
        broken('This order has been paid already.');
        return;
      }
      show('ways');
      timer = window.setTimeout(watch, 1500);
    } catch (error) {
      broken('The payment provider does not know this order. Please go back and try again.');
    }
  }

  begin();
})();
