/** The entry of /embed.js, a classic script: only such a one knows where it came from. */
import { begin } from './host';

const script = document.currentScript;
if (script instanceof HTMLScriptElement) begin(script.src);
