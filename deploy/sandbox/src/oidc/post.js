// Posts the form at once, as the provider does.
document.getElementById('back').submit();
