import type { ComponentProps } from 'react';
import { Icon, type IconName } from './Icon.tsx';

interface MenuItemProps extends Omit<ComponentProps<'button'>, 'type'> {
  readonly icon: IconName;
  /** The key with the same effect. */
  readonly hint?: string;
}

/** An action in a menu, with its key. */
export function MenuItem({ icon, hint, children, ...rest }: MenuItemProps) {
  return (
    <button type="button" {...rest}>
      <Icon name={icon} />
      <span className="grow">{children}</span>
      {hint !== undefined && <kbd>{hint}</kbd>}
    </button>
  );
}
