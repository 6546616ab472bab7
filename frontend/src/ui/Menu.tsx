import { type ReactNode, type ToggleEvent, useId, useRef, useState } from 'react';

import { BorderLink } from '@/ui/BorderLink';
import { ChevronDownIcon } from '@/ui/icons/ChevronDownIcon';
import styles from '@/ui/Menu.module.css';

export interface MenuItem {
  label: string;
  /** Where it goes… */
  to?: string;
  /** …or what it does. */
  onSelect?: () => void;
}

interface MenuProps {
  /** The button's name. */
  label: string;
  /** What the button shows instead of its name. */
  icon?: ReactNode;
  items: readonly MenuItem[];
}

/** A button that drops a short list of links and actions. */
export function Menu({ label, icon, items }: MenuProps) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);

  const followState = (event: ToggleEvent) => {
    setOpen(event.newState === 'open');
    // A press elsewhere leaves the focus on the body: give it back to the button.
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
              <Item item={item} onChosen={() => list.current?.hidePopover()} />
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function Item({ item, onChosen }: { item: MenuItem; onChosen: () => void }) {
  const choose = () => {
    onChosen();
    item.onSelect?.();
  };
  if (item.to !== undefined) {
    return (
      <BorderLink to={item.to} className={styles.item} onClick={choose}>
        {item.label}
      </BorderLink>
    );
  }
  return (
    <button type="button" className={styles.item} onClick={choose}>
      {item.label}
    </button>
  );
}
