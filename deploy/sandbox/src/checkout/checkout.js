// The checkout script of the simulated payment provider. It defines window.Razorpay with the
// options of the real script, so a website cannot tell the difference. It works under a strict
// content policy: no inline styles, no markup from text, and the frame is the only thing it needs
// allowed. Page and frame accept messages only from each other's origin and window.
(function () {
  'use strict';

  const BASE = (function () {
    const own = document.currentScript && document.currentScript.src;
    return own ? new URL(own).origin : new URL('{PUBLIC_URL}').origin;
  })();
  const CHANNEL = 'sandbox-checkout';
  const PHONE = '(max-width: 520px)';

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

  Razorpay.prototype.open = function () {
    if (!this.view) this.view = show(this);
    return this;
  };

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
    const options = checkout.options;
    const result = {
      razorpay_payment_id: answer.razorpay_payment_id,
      razorpay_order_id: answer.razorpay_order_id,
      razorpay_signature: answer.razorpay_signature,
    };
    const redirect = options.callback_url && (options.redirect || !options.handler);
    if (redirect) post(options.callback_url, result);
    else if (typeof options.handler === 'function') options.handler(result);
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

  // What the frame may know. Functions stay here, and so does everything it does not show.
  function told(options) {
    const modal = options.modal || {};
    return {
      name: String(options.name || ''),
      description: String(options.description || ''),
      prefill: plain(options.prefill),
      theme: plain(options.theme),
      escape: modal.escape !== false,
      confirmClose: modal.confirm_close === true,
    };
  }

  function frameUrl(options) {
    const url = new URL('/checkout', BASE);
    url.searchParams.set('key_id', options.key);
    url.searchParams.set('order_id', options.order_id || '');
    url.searchParams.set('origin', window.location.origin);
    return url.href;
  }

  function build(options) {
    const overlay = style(document.createElement('div'), {
      position: 'fixed', inset: '0', zIndex: '2147483647', display: 'flex',
      alignItems: 'center', justifyContent: 'center', colorScheme: 'normal',
      background: (options.theme && options.theme.backdrop_color) || 'rgba(20, 26, 24, 0.62)',
    });
    overlay.setAttribute('role', 'dialog');
    overlay.setAttribute('aria-modal', 'true');
    overlay.setAttribute('aria-label', 'Secure checkout');
    overlay.className = 'razorpay-container';
    const frame = style(document.createElement('iframe'), {
      border: '0', display: 'block', background: 'transparent', colorScheme: 'normal',
    });
    frame.title = 'Secure checkout';
    frame.className = 'razorpay-checkout-frame';
    frame.src = frameUrl(options);
    overlay.appendChild(frame);
    return { overlay: overlay, frame: frame };
  }

  // A card on large screens, the whole screen on phones.
  function fit(frame, media) {
    const small = media.matches;
    style(frame, {
      width: small ? '100%' : '420px',
      height: small ? '100%' : 'min(680px, calc(100dvh - 32px))',
      borderRadius: small ? '0' : '20px',
      boxShadow: small ? 'none' : '0 24px 64px rgba(0, 0, 0, 0.35)',
    });
  }

  function show(checkout) {
    const options = checkout.options;
    const parts = build(options);
    const media = window.matchMedia(PHONE);
    const before = document.activeElement;
    const scroll = document.documentElement.style.overflow;
    let timer = 0;

    function resized() {
      fit(parts.frame, media);
    }

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
      if (to) to.postMessage(Object.assign({ channel: CHANNEL }, message), BASE);
    }

    function heard(event) {
      if (event.origin !== BASE || event.source !== parts.frame.contentWindow) return;
      const message = event.data;
      if (!message || message.channel !== CHANNEL) return;
      if (message.type === 'ready') send({ type: 'options', options: told(options) });
      if (message.type === 'failed') checkout.emit('payment.failed', { error: message.error });
      if (message.type === 'succeeded') succeed(checkout, message.answer);
      if (message.type === 'dismissed') dismiss(checkout);
    }

    resized();
    media.addEventListener('change', resized);
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
        media.removeEventListener('change', resized);
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
