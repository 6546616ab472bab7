import { useQuery } from '@tanstack/react-query';

import type { Activity, SentMail } from '@/lib/api/types';
import { findLoadFailure } from '@/lib/api/useScreenLoad';
import { formatMoment } from '@/lib/formats';
import { Button } from '@/ui/buttons/Button';
import { Dialog } from '@/ui/dialogs/Dialog';
import { ErrorState } from '@/ui/feedback/ErrorState';
import { SkeletonRows } from '@/ui/loading/SkeletonRows';
import { TextLink } from '@/ui/navigation/TextLink';
import { UnbrokenDates } from '@/ui/text/UnbrokenDates';
import { sentMailOptions } from './activity';
import styles from './SentMailDialog.module.css';

interface SentMailDialogProps {
  /** The entry whose mail is read; null before the first one. */
  entry: Activity | null;
  open: boolean;
  onClose: () => void;
}

/** The mail of an activity, as it was sent, in the app's own components. */
export function SentMailDialog({ entry, open, onClose }: SentMailDialogProps) {
  const mailId = entry?.mailId ?? 0;
  const mail = useQuery({ ...sentMailOptions(mailId), enabled: open && mailId > 0 });
  const failure = findLoadFailure(mail);
  return (
    <Dialog
      open={open}
      title={mail.data?.title ?? entry?.text}
      footer={<Button onClick={onClose}>Close</Button>}
      onClose={onClose}
    >
      {failure && <ErrorState {...failure} />}
      {open && !failure && !mail.data && <SkeletonRows rows={3} />}
      {mail.data && <MailContent mail={mail.data} onLeave={onClose} />}
    </Dialog>
  );
}

function MailContent({ mail, onLeave }: { mail: SentMail; onLeave: () => void }) {
  return (
    <div className={styles.mail}>
      <p className={styles.sent}>
        Sent <time dateTime={mail.sentAt}>{formatMoment(mail.sentAt)}</time> to {mail.sentTo}
      </p>
      {mail.lines.map((line) => (
        <p key={line}>
          <UnbrokenDates>{line}</UnbrokenDates>
        </p>
      ))}
      {mail.facts.length > 0 && (
        <dl>
          {mail.facts.map(({ name, value }) => (
            <div key={`${name} ${value}`} className={styles.fact}>
              <dt>{name}</dt>
              <dd>
                <UnbrokenDates>{value}</UnbrokenDates>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {mail.note && <p className={styles.sent}>{mail.note}</p>}
      {mail.links.length > 0 && (
        <ul className={styles.links}>
          {mail.links.map(({ text, path }) => (
            <li key={`${text} ${path}`}>
              <TextLink to={path} onClick={onLeave}>
                {text}
              </TextLink>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
