// Leaves this page by submitting a form to an address.
function postTo(url, fields) {
  'use strict';
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
