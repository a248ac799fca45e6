/**
 * The code of a page comes after its first paint. Written pages are read before any script runs, and
 * a hundred kilobytes of scripts that are asked for earlier take the line from what is read.
 */

/**
 * Stands in the document's head. It fetches the files that the root names, the first of them to be
 * run, after the first paint; where a browser reports no paint, soon after everything is loaded.
 */
export const LAZY_SCRIPTS =
  '(function(){var begun;function begin(){if(begun)return;begun=true;' +
  "(document.getElementById('root').dataset.code||'').split(' ').forEach(function(file,at){" +
  "if(!file)return;var it=document.createElement(at?'link':'script');it.crossOrigin='';" +
  "if(at){it.rel='modulepreload';it.href=file}else{it.type='module';it.src=file}" +
  'document.head.append(it)})}' +
  "var told=window.PerformanceObserver&&(PerformanceObserver.supportedEntryTypes||[]).includes('paint');" +
  "addEventListener('load',function(){setTimeout(begin,told?3000:0)});if(!told)return;" +
  'var paints=new PerformanceObserver(function(){paints.disconnect();' +
  "if(document.readyState==='loading')addEventListener('DOMContentLoaded',begin);else begin()});" +
  "paints.observe({type:'paint',buffered:true})})()";

const ENTRY = /[ \t]*<script type="module"[^>]* src="([^"]+)"><\/script>\n?/;
const PRELOADS = /[ \t]*<link rel="modulepreload"[^>]* href="([^"]+)">\n?/g;

/** The built template without its scripts, and their addresses, the one to be run first. */
export function takeScripts(template: string): { template: string; code: string[] } {
  const entry = ENTRY.exec(template)?.[1];
  if (!entry) throw new Error('The built template runs no script.');
  const preloads = [...template.matchAll(PRELOADS)].flatMap(([, href]) => href ?? []);
  const bare = template.replace(ENTRY, '').replaceAll(PRELOADS, '');
  return { template: bare, code: [entry, ...preloads] };
}
