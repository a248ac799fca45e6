import { searchWork } from './work-search';

addEventListener('message', ({ data }: MessageEvent<string>) => {
  postMessage(searchWork(data));
});
