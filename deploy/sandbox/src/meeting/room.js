// Shows the session's start in the reader's own time zone.
(function () {
  'use strict';
  const starts = document.getElementById('starts');
  const at = new Date(starts.dateTime);
  if (!Number.isNaN(at.getTime())) {
    starts.textContent = new Intl.DateTimeFormat('en-IN', {
      weekday: 'long', day: 'numeric', month: 'long', year: 'numeric',
      hour: 'numeric', minute: '2-digit', timeZoneName: 'short',
    }).format(at);
  }
})();
