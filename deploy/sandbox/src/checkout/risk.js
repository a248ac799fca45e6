// The provider's script for risk detection. This one only reports that it was allowed to run.
(function () {
  'use strict';
  const script = document.currentScript;
  window.fetch(script.dataset.beacon + '&script=risk', { method: 'POST', mode: 'no-cors' })
    .catch(function () { /* A refused beacon is the browser's to report. */ });
})();
