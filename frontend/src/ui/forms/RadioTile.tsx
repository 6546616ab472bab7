import type { ReactNode, Ref } from 'react';
import styles from './RadioTile.module.css';

interface RadioTileProps {
  /** The shared name of the group's radio buttons. */
  group: string;
  label: ReactNode;
  /** Beside the label, such as a mark or a saving. */
  children?: ReactNode;
  checked: boolean;
  describedBy?: string;
  inputRef?: Ref<HTMLInputElement>;
  onChoose: () => void;
}

/** A radio button as large as its tile. */
export function RadioTile({
  group,
  label,
  children,
  checked,
  describedBy,
  inputRef,
  onChoose,
}: RadioTileProps) {
  return (
    <label className={styles.tile}>
      <input
        ref={inputRef}
        type="radio"
        name={group}
        checked={checked}
        aria-describedby={describedBy}
        onChange={onChoose}
      />
      <span className={styles.label}>{label}</span>
      {children}
    </label>
  );
}
