import type { ReactNode } from 'react';
import type { LinkProps } from 'react-router-dom';

import { BorderLink } from '@/ui/BorderLink';
import styles from '@/ui/IconButton.module.css';

interface IconButtonProps {
  /** What it does to what: 'Delete Visa ending in 1111'. */
  label: string;
  icon: ReactNode;
  onClick: () => void;
  /** Id of the words that say why it cannot be used now. It can be reached all the same, to hear them. */
  unavailableBecause?: string | undefined;
}

/** A button that shows an icon alone. */
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

/** A link that shows an icon alone. */
export function IconLink({ label, icon, ...link }: IconLinkProps) {
  return (
    <BorderLink {...link} aria-label={label} className={styles.button}>
      {icon}
    </BorderLink>
  );
}
