import { type ComponentProps, useEffect, useRef } from 'react';
import { FormField } from './view-controls.tsx';

// The labelled fields of forms. They are apart from the controls, because the first view of the inbox has no form.

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
}

interface InputFieldProps extends FieldProps, Omit<ComponentProps<'input'>, 'onInput'> {
  /** The CSS class of the label and the input together. */
  readonly fieldClassName?: string;
  /** True for the field in which somebody types who opens the form. */
  readonly isFirst?: boolean;
  /** Receives the text after each change. */
  readonly onValue: (value: string) => void;
}

export function InputField({ label, hint, fieldClassName = '', isFirst = false, onValue, ...rest }: InputFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFirst) field.current?.focus();
  }, [isFirst]);
  return (
    <FormField label={label} hint={hint} className={fieldClassName}>
      <input ref={field} {...rest} onInput={(event) => onValue(event.currentTarget.value)} />
    </FormField>
  );
}

interface TextAreaFieldProps extends FieldProps, Omit<ComponentProps<'textarea'>, 'onInput'> {
  /** Receives the text after each change. */
  readonly onValue: (value: string) => void;
}

/** A field for a text of several lines. */
export function TextAreaField({ label, hint, onValue, ...rest }: TextAreaFieldProps) {
  return (
    <FormField label={label} hint={hint}>
      <textarea {...rest} onInput={(event) => onValue(event.currentTarget.value)} />
    </FormField>
  );
}

/** One option of a select, with its value and the text that the reader sees. */
export interface SelectOption<Id> {
  readonly id: Id;
  readonly name: string;
}

interface SelectFieldProps<Id> extends FieldProps {
  readonly value: Id;
  readonly options: readonly SelectOption<Id>[];
  readonly onPick: (id: Id) => void;
}

export function SelectField<Id extends string | number>({ label, hint, value, options, onPick }: SelectFieldProps<Id>) {
  return (
    <FormField label={label} hint={hint}>
      <select
        value={value}
        onChange={({ currentTarget }) => {
          const picked = options[currentTarget.selectedIndex];
          if (picked !== undefined) onPick(picked.id);
        }}
      >
        {options.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </FormField>
  );
}
