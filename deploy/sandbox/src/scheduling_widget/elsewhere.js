// A page of another origin that pretends to be the widget.
top.postMessage(JSON.parse(decodeURIComponent(location.hash.slice(1))), '*');
