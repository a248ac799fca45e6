// The scheduling provider's widget: it posts its messages to the page that frames it, as the real one
// does, to any origin.
const { kind, elsewhere } = document.body.dataset;
const form = document.getElementById('form');
const said = document.getElementById('said');
const path = `/scheduling/widget/${kind}`;
const parameters = new URLSearchParams(location.search);

function tell(message) {
  parent.postMessage(message, '*');
}

async function showTimes() {
  const times = await (await fetch(`${path}/times`)).json();
  const shown = new Intl.DateTimeFormat('en-IN', {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'Asia/Kolkata',
  });
  form.start.replaceChildren(
    ...times.map((time) => new Option(shown.format(new Date(time)), time)),
  );
  for (const name of ['name', 'email']) form.elements[name].value = parameters.get(name) ?? '';
  tell({ event: 'calendly.event_type_viewed', payload: {} });
}

/** A message that comes from another window and origin than this frame. */
function tellFromElsewhere(message) {
  const frame = document.createElement('iframe');
  frame.src = `${elsewhere}#${encodeURIComponent(JSON.stringify(message))}`;
  frame.title = 'Elsewhere';
  document.body.append(frame);
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const tracking = {
    utm_source: parameters.get('utm_source'),
    utm_content: parameters.get('utm_content'),
  };
  const answer = await fetch(`${path}/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      start_time: form.start.value,
      name: form.elements.name.value,
      email: form.elements.email.value,
      tracking,
    }),
  });
  if (!answer.ok) {
    said.textContent = 'This time is no longer available.';
    return;
  }
  const { message, from_elsewhere: fromElsewhere } = await answer.json();
  said.textContent = 'You are scheduled';
  if (fromElsewhere) tellFromElsewhere(message);
  else tell(message);
});

showTimes();
