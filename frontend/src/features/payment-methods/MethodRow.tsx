import { useId } from 'react';

import type { PaymentSource } from '@/lib/api/types';
import { kindOf, updateAddress } from '@/lib/paymentSources';
import { notify } from '@/stores/snackbar';
import { IconButton, IconLink } from '@/ui/IconButton';
import { CardBrandMark } from '@/ui/icons/CardBrandMark';
import { EditIcon } from '@/ui/icons/EditIcon';
import { TrashIcon } from '@/ui/icons/TrashIcon';
import { StatusPill } from '@/ui/StatusPill';
import styles from './MethodRow.module.css';
import { methodStatus } from './methodStatus';
import { expiryWords, NOT_DELETABLE, ownerName, sourceName } from './words';

interface MethodRowProps {
  source: PaymentSource;
  /** The name that the radios of one list share. */
  group: string;
  isChosen: boolean;
  onChoose: () => void;
  onDelete: () => void;
}

/** One payment method: choose it as the default, edit it, delete it. */
export function MethodRow({ source, group, isChosen, onChoose, onDelete }: MethodRowProps) {
  const id = useId();
  const name = sourceName(source);
  const { deletable } = source;
  return (
    <li className={styles.row}>
      <input
        id={id}
        type="radio"
        name={group}
        checked={isChosen}
        aria-describedby={`${id}-details`}
        className={styles.radio}
        onChange={onChoose}
      />
      <label htmlFor={id} className={styles.label}>
        <CardBrandMark brand={source.brand} decorative />
        <span className={styles.name}>{kindOf(source) === 'PAYPAL' ? 'PayPal' : name}</span>
      </label>
      <Details id={`${id}-details`} source={source} />
      <div className={styles.actions}>
        <IconLink {...updateAddress(source)} label={`Edit ${name}`} icon={<EditIcon />} />
        <IconButton
          label={`Delete ${name}`}
          icon={<TrashIcon />}
          unavailableBecause={deletable ? undefined : `${id}-kept`}
          onClick={deletable ? onDelete : () => notify(NOT_DELETABLE, 'warning')}
        />
      </div>
      {!deletable && (
        <p id={`${id}-kept`} className={styles.kept}>
          {NOT_DELETABLE}
        </p>
      )}
    </li>
  );
}

/** Whose it is, until when it can be used, and how it stands, in words. */
function Details({ id, source }: { id: string; source: PaymentSource }) {
  const status = methodStatus(source);
  const facts = [ownerName(source), source.email, expiryWords(source)].filter(Boolean);
  return (
    <div id={id} className={styles.details}>
      {source.primaryPaymentSource && <StatusPill tone="info">Default</StatusPill>}
      {status && <StatusPill tone={status.tone}>{status.words}</StatusPill>}
      {facts.map((fact) => (
        <span key={fact}>{fact} </span>
      ))}
    </div>
  );
}
