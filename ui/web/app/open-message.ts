import type { MessageFrame, ShellApi } from './api.ts';
import { type KindsByHost, keptHosts } from './kept-hosts.ts';
import type { MessageMarks } from './marks.ts';
import type { MessageListController } from './message-list-controller.ts';
import { BackendError, type Machine, type ShellClock } from './ports.ts';
import type { AttachedState, OpenState, WebState } from './state.ts';

/** Returns the URL that shows the HTML of a message, or of a mail attached to it, alone and without remote content. */
export async function openHtml(api: ShellApi, id: string, attached: string | null): Promise<string> {
  return (await api.frame(id, attached, {})).url;
}

/** The page of the message that was loaded last, until its view takes it. */
let waiting: { readonly key: string; readonly frame: Promise<MessageFrame> } | null = null;

/** Opens the page of a message. The first call for a message that was just opened takes the page that is under way. */
export function openFrame(api: ShellApi, id: string, attached: string | null, allowed: KindsByHost) {
  const key = keyOf(id, attached, allowed);
  const frame = waiting?.key === key ? waiting.frame : api.frame(id, attached, allowed);
  waiting = null;
  return frame;
}

function keyOf(id: string, attached: string | null, allowed: KindsByHost): string {
  return JSON.stringify([id, attached, allowed]);
}

// A conversation stands above the text of its message. It is asked for with the message, so that it pushes nothing down.

export type ShownThread = Awaited<ReturnType<ShellApi['getThread']>>;

interface ThreadUnderWay {
  readonly id: string;
  readonly call: AbortController;
  readonly asked: Promise<ShownThread>;
  known: ShownThread | null;
}

/** The conversation of the message that was opened last, until its view takes it. */
let threadAhead: ThreadUnderWay | null = null;

/** Asks for the conversation of a message that opens. The promise is kept when it came, or can't come. */
export async function askThread(api: ShellApi, id: string): Promise<void> {
  // The call before has no reader any more, and it would keep one of the browser's six connections.
  threadAhead?.call.abort();
  const call = new AbortController();
  const asked = api.getThread(id, { signal: call.signal });
  const mine: ThreadUnderWay = { id, call, asked, known: null };
  threadAhead = mine;
  mine.known = await asked.catch(() => null);
}

/** Returns the conversation of a message that was just opened, if it came with the message. */
export function threadThatCame(id: string): ShownThread | null {
  return threadAhead?.id === id ? threadAhead.known : null;
}

/** Loads the conversation of a message. The first call for a message that was just opened takes the one under way. */
export function openThread(api: ShellApi, id: string, signal: AbortSignal): Promise<ShownThread> {
  if (threadAhead?.id !== id) return api.getThread(id, { signal });
  const { asked, call } = threadAhead;
  threadAhead = null;
  signal.addEventListener('abort', () => call.abort());
  return asked;
}

interface OpenerHost {
  readonly api: ShellApi;
  readonly clock: ShellClock;
  readonly machine: Machine;
  readonly mail: MessageListController;
  readonly marks: MessageMarks;
  readonly state: { readonly value: WebState };
  patch(change: Partial<WebState>): void;
  explain(error: unknown): string;
}

/** The time in milliseconds for which a message that was loaded ahead is kept without its click. */
const AHEAD_MS = 10_000;
/** The time in milliseconds after which a mouse on a row has probably come to stay. A click follows no sooner than 100. */
const STAY_MS = 50;
/** The time in milliseconds that a loaded message waits for its conversation. */
const THREAD_MS = 40;

/** Opens the message and the attached mail of the route, and loads the message that the mouse will open next. */
export class MessageOpener {
  readonly #host: OpenerHost;
  /** The message whose row the mouse was on last. */
  #pointedAt = '';
  /** Calls off the load of that message. */
  #callOff = () => {};

  constructor(host: OpenerHost) {
    this.#host = host;
  }

  /** Loads what the route shows and the page does not have. */
  follow(): void {
    const { route, open } = this.#host.state.value;
    if (route.at !== 'mail' || route.messageId === null) return;
    if (open?.id !== route.messageId || (open.failure !== null && !open.gone)) void this.#open(route.messageId);
    void this.#openAttached(route.messageId, route.attached);
  }

  /** Loads a message before its click. If the mouse only points at its row, it is loaded if the mouse stays there. */
  loadAhead(id: string, isPressed: boolean): void {
    if (this.#pointedAt === id && !isPressed) return;
    this.#pointedAt = id;
    this.#callOff();
    if (isPressed) this.#loadAhead(id);
    else this.#callOff = this.#host.clock.after(STAY_MS, () => this.#loadAhead(id));
  }

  #loadAhead(id: string): void {
    const host = this.#host;
    const { open, ahead } = host.state.value;
    if (open?.id === id || ahead?.id === id) return;
    const loading = this.#load(id);
    const isLatest = () => host.state.value.ahead?.loading === loading;
    host.patch({ ahead: { id, loading, loaded: null } });
    void loading.then((loaded) => {
      if (!isLatest()) return;
      // The click asks again for what could not be loaded now.
      host.patch({ ahead: loaded.failure === null ? { id, loading, loaded } : null });
      host.clock.after(AHEAD_MS, () => isLatest() && host.patch({ ahead: null }));
    });
  }

  async #open(id: string): Promise<void> {
    const host = this.#host;
    const { mail, marks } = host;
    const ahead = host.state.value.ahead?.id === id ? host.state.value.ahead : null;
    let open = ahead?.loaded ?? null;
    if (open === null) {
      host.patch({ open: { id, facts: null, content: null, failure: null } });
      open = await (ahead?.loading ?? this.#load(id));
      if (host.state.value.open?.id !== id) return;
    }
    host.patch({ open: marks.latest(open), ...(ahead !== null && { ahead: null }) });
    // A reader of one copy of a mail has read them all.
    const isUnread = open.facts?.read === false || mail.copiesOf(id).some(({ read }) => !read);
    if (open.facts !== null && isUnread) marks.opened({ id, mailboxId: open.facts.mailboxId });
  }

  async #openAttached(messageId: string, id: string | null): Promise<void> {
    const host = this.#host;
    const isShown = () => host.state.value.attached?.messageId === messageId && host.state.value.attached?.id === id;
    const { attached } = host.state.value;
    if (id === null) {
      if (attached !== null) host.patch({ attached: null });
      return;
    }
    if (isShown() && attached?.failure === null) return;
    host.patch({ attached: { messageId, id, mail: null, failure: null } });
    const loaded = await loadAttached(host.api, messageId, id, (error) => host.explain(error));
    if (isShown()) host.patch({ attached: loaded });
  }

  /** Loads a message. Most messages show their page first, so it is asked for at the same time. */
  async #load(id: string): Promise<OpenState> {
    const { api, clock, machine } = this.#host;
    const allowed = keptHosts(machine);
    const frame = api.frame(id, null, allowed);
    // The view that takes it tells its failure.
    frame.catch(() => {});
    waiting = { key: keyOf(id, null, allowed), frame };
    const thread = askThread(api, id);
    const open = await loadOpen(api, id, (error) => this.#host.explain(error));
    await Promise.race([thread, new Promise<void>((late) => clock.after(THREAD_MS, late))]);
    return open;
  }
}

/** Loads a message for its view. It never rejects: a failure is a sentence in the result. */
export async function loadOpen(api: ShellApi, id: string, explain: (error: unknown) => string): Promise<OpenState> {
  try {
    const [facts, content] = await Promise.all([api.getMessageFacts(id), api.getMessageContent(id)]);
    return { id, facts, content, failure: null };
  } catch (error) {
    const gone = error instanceof BackendError && error.status === 404;
    const failure = gone
      ? 'This message no longer exists: it was deleted, or its retention has ended.'
      : explain(error);
    return { id, facts: null, content: null, failure, gone };
  }
}

/** Loads an attached mail for its view. It never rejects: a failure is a sentence in the result. */
async function loadAttached(
  api: ShellApi,
  messageId: string,
  id: string,
  explain: (error: unknown) => string,
): Promise<AttachedState> {
  try {
    return { messageId, id, mail: await api.getAttachedMail(messageId, id), failure: null };
  } catch (error) {
    const failure =
      error instanceof BackendError && error.status === 404
        ? 'There is no such attached mail. Mails are read through at most ten mails within one another.'
        : explain(error);
    return { messageId, id, mail: null, failure };
  }
}
