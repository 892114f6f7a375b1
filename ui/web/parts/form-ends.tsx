import type { ReactNode } from 'react';
import { Button } from './controls.tsx';
import type { IconName } from './Icon.tsx';
import type { Submit } from './use-submit.ts';
import { FormError } from './view-controls.tsx';

interface FormEndProps {
  readonly form: Submit;
  /** The name of the button that sends the form. */
  readonly yes: string;
  readonly icon?: IconName;
  readonly onCancel?: () => void;
  /** The name of the button that closes the form. */
  readonly no?: string;
  /** True in a dialog, whose main button is the last one. */
  readonly isDialog?: boolean;
  /** The elements that stand behind the buttons. */
  readonly children?: ReactNode;
}

/** The end of a form: why its last request failed, and its buttons. */
export function FormEnd({ form, yes, icon, onCancel, no = 'Cancel', isDialog = false, children }: FormEndProps) {
  const cancel = onCancel && <Button onClick={onCancel}>{no}</Button>;
  return (
    <>
      <FormError reason={form.failure} />
      <div className={isDialog ? 'dialog-actions' : 'form-actions'}>
        {isDialog && cancel}
        <Button submit look="main" icon={icon} disabled={form.isBusy}>
          {yes}
        </Button>
        {!isDialog && cancel}
        {children}
      </div>
    </>
  );
}

/** A form that adds a thing by the fields of one row. `below` stands under them. */
export function AddForm({
  form,
  yes,
  children,
  below,
}: Pick<FormEndProps, 'form' | 'yes' | 'children'> & { readonly below?: ReactNode }) {
  return (
    <form className="form" onSubmit={form.submit}>
      <div className="form-row">
        {children}
        <Button submit icon="plus" disabled={form.isBusy}>
          {yes}
        </Button>
      </div>
      <FormError reason={form.failure} />
      {below}
    </form>
  );
}
