import { useId } from 'react';

import type { EmailPreference } from '@/lib/api/types';
import { BareCheckbox } from '@/ui/forms/BareCheckbox';
import { VisuallyHidden } from '@/ui/text/VisuallyHidden';
import type { PreferenceKey, WantedEmails } from './api';
import styles from './PreferenceTable.module.css';

interface PreferenceTableProps {
  preferences: readonly EmailPreference[];
  wanted: WantedEmails;
  onChange: (key: PreferenceKey, checked: boolean) => void;
}

/** A row for each kind of email: a checkbox, its name and its summary. */
export function PreferenceTable({ preferences, wanted, onChange }: PreferenceTableProps) {
  return (
    <table className={styles.table}>
      <caption>
        <VisuallyHidden>Email preferences</VisuallyHidden>
      </caption>
      <thead className={styles.head}>
        <tr>
          <th scope="col">
            <VisuallyHidden>Subscribed</VisuallyHidden>
          </th>
          <th scope="col">
            <VisuallyHidden>Email</VisuallyHidden>
          </th>
        </tr>
      </thead>
      <tbody>
        {preferences.map((preference) => (
          <PreferenceRow
            key={preference.key}
            preference={preference}
            checked={wanted[preference.key]}
            onChange={(checked) => onChange(preference.key, checked)}
          />
        ))}
      </tbody>
    </table>
  );
}

interface PreferenceRowProps {
  preference: EmailPreference;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

function PreferenceRow({ preference: { name, summary }, checked, onChange }: PreferenceRowProps) {
  const id = useId();
  return (
    <tr>
      <td className={styles.mark}>
        <BareCheckbox
          id={id}
          label={name}
          checked={checked}
          onChange={onChange}
          describedBy={`${id}-summary`}
        />
      </td>
      <th scope="row" className={styles.text}>
        <label htmlFor={id} className={styles.label}>
          <span className={styles.name}>{name}</span>
          <span id={`${id}-summary`} className={styles.summary}>
            {summary}
          </span>
        </label>
      </th>
    </tr>
  );
}
