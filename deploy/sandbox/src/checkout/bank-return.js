// The end of the bank's page: it informs the checkout that opened it, or returns to the website.
(function () {
  'use strict';
  const told = document.body.dataset;
  if (window.opener) {
    const message = { channel: 'sandbox-checkout', type: 'bank' };
    window.opener.postMessage(message, window.location.origin);
    window.close();
  } else if (told.callback) {
    postTo(told.callback, JSON.parse(told.fields));
  }
})();
