import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';

import type { EmailPreference } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { useScreenLoad } from '@/lib/screenLoad';
import { useFormDraft } from '@/lib/useFormDraft';
import { useLoader } from '@/stores/loader';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { ConfirmModal } from '@/ui/ConfirmModal';
import { Page } from '@/ui/Page';
import { PageHeading } from '@/ui/PageHeading';
import { SkeletonRows } from '@/ui/SkeletonRows';
import { ErrorState } from '@/ui/States';
import { BackLink } from '@/ui/TextLink';
import { billingDetailsOptions, preferencesOptions, type Wanted, wantedIn } from './api';
import styles from './EmailPreferencesPage.module.css';
import { PreferenceTable } from './PreferenceTable';
import { useSavePreferences } from './useSavePreferences';

/** Which emails one gets beyond those that the account needs. */
export default function EmailPreferencesPage() {
  const preferences = useQuery(preferencesOptions);
  const details = useQuery(billingDetailsOptions);
  const failure = useScreenLoad(preferences, details);
  return (
    <Page>
      <BackLink to={paths.dashboard} />
      <PageHeading lead="Choose what you would like to hear about.">
        Manage Email Preferences
      </PageHeading>
      <Card className={styles.card}>
        {failure && <ErrorState {...failure} />}
        {!failure && !(preferences.data && details.data) && <SkeletonRows rows={5} />}
        {preferences.data && details.data && (
          <PreferencesForm preferences={preferences.data} email={details.data.email} />
        )}
      </Card>
      <p className={styles.note}>
        Sign-in codes, receipts and notices of bills belong to your account. You get them whatever
        you choose here.
      </p>
    </Page>
  );
}

interface PreferencesFormProps {
  preferences: readonly EmailPreference[];
  email: string;
}

function PreferencesForm({ preferences, email }: PreferencesFormProps) {
  const [changed, setChanged] = useFormDraft<Partial<Wanted>>('email-preferences', {});
  const [asking, setAsking] = useState(false);
  const { save, unsubscribeFromAll, isSaving } = useSavePreferences();
  const wanted: Wanted = { ...wantedIn(preferences), ...changed };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isSaving) save(wanted);
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <p className={styles.address}>
        Emails go to <strong>{email}</strong>
      </p>
      <PreferenceTable
        preferences={preferences}
        wanted={wanted}
        onChange={(key, checked) => setChanged({ ...changed, [key]: checked })}
      />
      <div className={styles.ways}>
        <Button type="submit" busy={isSaving && !asking} block>
          SAVE PREFERENCES
        </Button>
        {Object.values(wanted).includes(true) && (
          <Button variant="link" onClick={() => setAsking(true)}>
            Unsubscribe From All
          </Button>
        )}
      </div>
      <UnsubscribeDialog
        open={asking}
        busy={isSaving}
        onConfirm={() => unsubscribeFromAll(() => setAsking(false))}
        onCancel={() => setAsking(false)}
      />
    </form>
  );
}

interface UnsubscribeDialogProps {
  open: boolean;
  busy: boolean;
  onConfirm: () => void;
  onCancel: () => void;
}

/** In the page and not the global one, so that it is gone with the page when the next one takes the focus. */
function UnsubscribeDialog(props: UnsubscribeDialogProps) {
  const note = useLoader(({ message }) => message);
  return (
    <ConfirmModal
      {...props}
      title="Unsubscribe From All"
      message="Are you sure you want to unsubscribe from all emails?"
      warningContent="By unsubscribing from emails, you won’t be able to access special deals or notifications on upcoming series."
      confirmBtnText="YES, UNSUBSCRIBE"
      busyNote={note}
    />
  );
}
