// The page of a payment link: it opens the checkout, and after a payment leads back to the website.
(function () {
  'use strict';
  const told = document.body.dataset;

  function say(text) {
    document.getElementById('said').textContent = text;
  }

  function pay() {
    const checkout = new window.Razorpay({
      key: told.key,
      order_id: told.order,
      amount: Number(told.minor),
      currency: 'INR',
      name: 'Payment request',
      description: told.description,
      config: { display: { hide: [{ method: 'upi', flows: ['collect'] }] } },
      handler: function () {
        say('Payment successful. You are led back.');
        window.location.assign('/l/' + encodeURIComponent(told.code) + '/return');
      },
      modal: {
        ondismiss: function () {
          say('The payment was not completed. You can try again.');
        },
      },
    });
    checkout.on('payment.failed', function () {
      say('The payment failed. You can try again.');
    });
    checkout.open();
  }

  document.getElementById('pay').addEventListener('click', pay);
})();
