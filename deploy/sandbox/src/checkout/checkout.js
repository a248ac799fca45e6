// The checkout script of the simulated payment provider. It defines window.Razorpay with the
// options of the real script and has the same requirements for a website: a frame of another origin
// than its own, placed over the backdrop by a style attribute, and keyframes in a style element.
// Under a content policy without inline styles the backdrop covers the frame and receives every
// click. The frame gets the page's whole address. Page and frame accept messages only from each
// other's origin and window.
(function () {
  'use strict';

  const FRAME = new URL('{FRAME_URL}').origin;
  const RISK = new URL('{RISK_URL}').origin;
  const BEACON = new URL('{BEACON_URL}').origin;
  const CHANNEL = 'sandbox-checkout';
  const NO_POPUPS = /; wv\)|Instagram|FBA[NV]|Opera Mini|UCBrowser|CriOS/;
  const KEYFRAMES = '<style>@keyframes sandbox-appear { from { opacity: 0; } }</style>';
  const OVER_THE_BACKDROP = [
    'position: relative', 'z-index: 2', 'display: block', 'width: 100%', 'height: 100%',
    'min-height: 100%', 'margin: 0', 'padding: 0', 'border: 0', 'background: none', 'opacity: 1',
  ].join('; ');

  function style(element, rules) {
    Object.keys(rules).forEach(function (name) {
      element.style[name] = rules[name];
    });
    return element;
  }

  function plain(value) {
    const text = {};
    Object.keys(value || {}).forEach(function (name) {
      const it = value[name];
      if (typeof it === 'string' || typeof it === 'number' || typeof it === 'boolean') {
        text[name] = it;
      }
    });
    return text;
  }

  function Razorpay(options) {
    if (!(this instanceof Razorpay)) return new Razorpay(options);
    if (!options || typeof options !== 'object') throw new Error('No options passed');
    if (!options.key) throw new Error('No key passed');
    this.options = options;
    this.listeners = {};
    this.view = null;
  }

  Razorpay.prototype.on = function (event, listener) {
    if (typeof listener !== 'function') throw new Error('A listener must be a function');
    (this.listeners[event] = this.listeners[event] || []).push(listener);
    return this;
  };

  Razorpay.prototype.emit = function (event, detail) {
    (this.listeners[event] || []).forEach(function (listener) {
      listener(detail);
    });
  };

  // What the provider learns outside the frame. Payments work without it.
  function count(options) {
    const beacon = BEACON + '/beacon?order_id=' + encodeURIComponent(options.order_id || '');
    window.fetch(beacon + '&script=checkout', { method: 'POST', mode: 'no-cors' })
      .catch(function () { /* A refused beacon is the browser's to report. */ });
    const risk = document.createElement('script');
    risk.src = RISK + '/risk/bundle.js';
    risk.dataset.beacon = beacon;
    document.head.appendChild(risk);
  }

  Razorpay.prototype.open = function () {
    count(this.options);
    if (redirects(this.options)) leave(this.options);
    else if (!this.view) this.view = show(this);
    return this;
  };

  // Browsers without popups cannot show the frame: those inside other apps, and Chrome on an
  // iPhone. There the page is left, if it gives an address to return to.
  function redirects(options) {
    if (!options.callback_url) return false;
    return options.redirect === true || NO_POPUPS.test(navigator.userAgent);
  }

  function leave(options) {
    const url = new URL(frameUrl(options));
    url.searchParams.set('callback_url', options.callback_url);
    url.searchParams.set('options', JSON.stringify(told(options)));
    window.location.assign(url.href);
  }

  Razorpay.prototype.close = function () {
    const view = this.view;
    if (!view) return;
    this.view = null;
    view.remove();
  };

  function dismiss(checkout) {
    checkout.close();
    const modal = checkout.options.modal || {};
    if (typeof modal.ondismiss === 'function') modal.ondismiss();
  }

  function succeed(checkout, answer) {
    checkout.close();
    const result = {
      razorpay_payment_id: answer.razorpay_payment_id,
      razorpay_order_id: answer.razorpay_order_id,
      razorpay_signature: answer.razorpay_signature,
    };
    const options = checkout.options;
    if (typeof options.handler === 'function') options.handler(result);
    else if (options.callback_url) post(options.callback_url, result);
  }

  function post(url, fields) {
    const form = document.createElement('form');
    form.method = 'post';
    form.action = url;
    Object.keys(fields).forEach(function (name) {
      const input = document.createElement('input');
      input.type = 'hidden';
      input.name = name;
      input.value = fields[name];
      form.appendChild(input);
    });
    document.body.appendChild(form);
    form.submit();
  }

  // The options for the frame. Functions, and options that it does not show, are not sent.
  function told(options) {
    const modal = options.modal || {};
    return {
      name: String(options.name || ''),
      description: String(options.description || ''),
      prefill: plain(options.prefill),
      theme: plain(options.theme),
      config: JSON.parse(JSON.stringify(options.config || {})),
      referer: window.location.href,
      escape: modal.escape !== false,
      confirmClose: modal.confirm_close === true,
    };
  }

  function frameUrl(options) {
    const url = new URL('/checkout', FRAME);
    url.searchParams.set('key_id', options.key);
    url.searchParams.set('order_id', options.order_id || '');
    url.searchParams.set('origin', window.location.origin);
    return url.href;
  }

  function build(options) {
    const overlay = style(document.createElement('div'), {
      position: 'fixed', inset: '0', zIndex: '2147483647', colorScheme: 'normal',
    });
    overlay.innerHTML = KEYFRAMES;
    overlay.setAttribute('role', 'dialog');
    overlay.setAttribute('aria-modal', 'true');
    overlay.setAttribute('aria-label', 'Secure checkout');
    overlay.className = 'razorpay-container';
    const backdrop = style(document.createElement('div'), {
      position: 'fixed', inset: '0', minHeight: '100%', animation: 'sandbox-appear 0.2s ease-out',
      background: (options.theme && options.theme.backdrop_color) || 'rgba(20, 26, 24, 0.62)',
    });
    backdrop.className = 'razorpay-backdrop';
    const frame = document.createElement('iframe');
    frame.setAttribute('style', OVER_THE_BACKDROP);
    frame.width = '100%';
    frame.height = '100%';
    frame.title = 'Secure checkout';
    frame.className = 'razorpay-checkout-frame';
    frame.src = frameUrl(options);
    overlay.append(backdrop, frame);
    return { overlay: overlay, frame: frame };
  }

  function show(checkout) {
    const options = checkout.options;
    const parts = build(options);
    const before = document.activeElement;
    const scroll = document.documentElement.style.overflow;
    let timer = 0;

    function keepFocus(event) {
      if (!parts.overlay.contains(event.target)) parts.frame.focus();
    }

    function keyed(event) {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      send({ type: 'escape' });
    }

    function send(message) {
      const to = parts.frame.contentWindow;
      if (to) to.postMessage(Object.assign({ channel: CHANNEL }, message), FRAME);
    }

    function heard(event) {
      if (event.origin !== FRAME || event.source !== parts.frame.contentWindow) return;
      const message = event.data;
      if (!message || message.channel !== CHANNEL) return;
      if (message.type === 'ready') send({ type: 'options', options: told(options) });
      if (message.type === 'failed') checkout.emit('payment.failed', { error: message.error });
      if (message.type === 'succeeded') succeed(checkout, message.answer);
      if (message.type === 'dismissed') dismiss(checkout);
    }

    window.addEventListener('message', heard);
    document.addEventListener('focusin', keepFocus);
    document.addEventListener('keydown', keyed);
    document.documentElement.style.overflow = 'hidden';
    document.body.appendChild(parts.overlay);
    parts.frame.focus();
    if (options.timeout > 0) {
      timer = window.setTimeout(function () {
        dismiss(checkout);
      }, options.timeout * 1000);
    }

    return {
      remove: function () {
        window.clearTimeout(timer);
        window.removeEventListener('message', heard);
        document.removeEventListener('focusin', keepFocus);
        document.removeEventListener('keydown', keyed);
        document.documentElement.style.overflow = scroll;
        parts.overlay.remove();
        if (before && typeof before.focus === 'function') before.focus();
      },
    };
  }

  window.Razorpay = Razorpay;
})();
