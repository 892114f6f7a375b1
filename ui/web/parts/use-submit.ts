import { type FormEvent, useRef, useState } from 'react';
import { useShell } from '../use-shell.ts';

/** A form that sends a request. */
export interface Submit {
  /** Sends the form. While a request is under way, it does nothing. */
  readonly submit: (event?: FormEvent) => void;
  readonly isBusy: boolean;
  /** The reason why the last request failed. */
  readonly failure: string | null;
}

/** Sends the request of a form once at a time, so that a double click does not send it twice. */
export function useSubmit(send: () => Promise<unknown>): Submit {
  const shell = useShell();
  const isUnderWay = useRef(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const run = async () => {
    // The second click of a double click comes before the button is drawn as disabled.
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setBusy(true);
    setFailure(null);
    try {
      await send();
    } catch (error) {
      setFailure(shell.explain(error));
    } finally {
      isUnderWay.current = false;
      setBusy(false);
    }
  };
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    void run();
  };
  return { submit, isBusy, failure };
}
