// The simulated UPI app, on the page that the QR code opens.
(function () {
  'use strict';
  const order = document.body.dataset.order;
  const said = document.getElementById('said');

  async function decide(approve) {
    said.textContent = 'Asking the bank…';
    try {
      const response = await fetch('/checkout/orders/' + encodeURIComponent(order) + '/payments', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          key_id: document.body.dataset.key, method: 'upi', approve: approve,
        }),
      });
      const answer = await response.json();
      if (!response.ok) throw new Error(answer.error.description);
      said.textContent = answer.answer
        ? 'Approved. You can go back to the website.'
        : 'Declined. You can try again on the website.';
      document.getElementById('choice').hidden = true;
    } catch (error) {
      said.textContent = error instanceof TypeError
        ? 'The bank did not answer. Please try again.' : error.message;
    }
  }

  document.getElementById('approve').addEventListener('click', function () { decide(true); });
  document.getElementById('decline').addEventListener('click', function () { decide(false); });
})();
