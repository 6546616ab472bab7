import type { ReactNode } from 'react';
import type { LinkProps } from 'react-router-dom';

import { AppLink } from '@/ui/navigation/AppLink';
import styles from './IconButton.module.css';

interface IconButtonProps {
  /** Action and object: 'Delete Visa ending in 1111'. */
  label: string;
  icon: ReactNode;
  onClick: () => void;
  /**
   * The id of the text that says why the button is unavailable. The button stays focusable, so that
   * screen readers read it.
   */
  unavailableBecause?: string | undefined;
}

/** A button with only an icon. */
export function IconButton({ label, icon, onClick, unavailableBecause }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      aria-disabled={unavailableBecause ? true : undefined}
      aria-describedby={unavailableBecause}
      className={styles.button}
      onClick={onClick}
    >
      {icon}
    </button>
  );
}

type IconLinkProps = Pick<LinkProps, 'to' | 'state'> & Pick<IconButtonProps, 'label' | 'icon'>;

/** A link with only an icon. */
export function IconLink({ label, icon, ...link }: IconLinkProps) {
  return (
    <AppLink {...link} aria-label={label} className={styles.button}>
      {icon}
    </AppLink>
  );
}
