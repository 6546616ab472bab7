import { type ReactNode, type ToggleEvent, useId, useRef, useState } from 'react';
import { ChevronDownIcon } from '@/ui/icons/ChevronDownIcon';
import { AppLink } from './AppLink';
import styles from './Menu.module.css';

export interface MenuItem {
  label: string;
  /** The target of a link, */
  to?: string;
  /** or the handler of a button. */
  onSelect?: () => void;
}

interface MenuProps {
  /** The accessible name of the button. */
  label: string;
  /** Shown instead of the label. */
  icon?: ReactNode;
  items: readonly MenuItem[];
}

/** A button with a dropdown of links and actions. */
export function Menu({ label, icon, items }: MenuProps) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);

  const followState = (event: ToggleEvent) => {
    setOpen(event.newState === 'open');
    // A click elsewhere leaves the focus on the body, so it returns to the button.
    const focusIsLost = document.activeElement === document.body;
    if (event.newState === 'closed' && focusIsLost) trigger.current?.focus();
  };

  return (
    <div className={styles.menu}>
      <button
        ref={trigger}
        type="button"
        className={styles.trigger}
        popoverTarget={id}
        aria-expanded={open}
        aria-controls={id}
        aria-label={icon ? label : undefined}
      >
        {icon ?? label}
        <ChevronDownIcon />
      </button>
      <div ref={list} id={id} popover="auto" className={styles.popover} onToggle={followState}>
        <ul className={styles.items}>
          {items.map((item) => (
            <li key={item.label}>
              <MenuEntry item={item} onChosen={() => list.current?.hidePopover()} />
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function MenuEntry({ item, onChosen }: { item: MenuItem; onChosen: () => void }) {
  const choose = () => {
    onChosen();
    item.onSelect?.();
  };
  if (item.to !== undefined) {
    return (
      <AppLink to={item.to} className={styles.item} onClick={choose}>
        {item.label}
      </AppLink>
    );
  }
  return (
    <button type="button" className={styles.item} onClick={choose}>
      {item.label}
    </button>
  );
}
