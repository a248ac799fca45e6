/** What the calls of a played server end with, where a test wants it otherwise. */
import { Code, type ConnectError } from '@connectrpc/connect';
import { refusal } from './refusal';

export class Answering {
  /** No read is answered. */
  down = false;
  /** What the next commands are refused with. */
  refusals: ConnectError[] = [];
  /** What an answer to a command waits for. */
  gate: Promise<void> | undefined;

  read(): void {
    if (this.down) throw refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE');
  }

  async command(): Promise<void> {
    await this.gate;
    const refused = this.refusals.shift();
    if (refused) throw refused;
  }
}
