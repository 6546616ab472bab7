import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { useNavigate } from 'react-router-dom';

import { siteOptions } from '@/lib/api/queries';
import type { Redeemed } from '@/lib/api/types';
import { useCommand } from '@/lib/command';
import { isUnconfirmed, messageOf } from '@/lib/errors';
import { notifyError } from '@/lib/notices';
import { paths } from '@/lib/paths';
import { usePlansAfterChange } from '@/lib/planChanges';
import { toReceipt } from '@/lib/receipts';
import { useFormDraft } from '@/lib/useFormDraft';
import { useDrafts } from '@/stores/drafts';
import { notify, useSnackbar } from '@/stores/snackbar';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { TextField } from '@/ui/Field';
import { LegalLinks } from '@/ui/LegalLinks';
import { Page } from '@/ui/Page';
import { PageHeading } from '@/ui/PageHeading';
import { BackLink } from '@/ui/TextLink';
import { redeem } from './api';
import styles from './CouponPage.module.css';
import { redeemedSentence } from './redeemed';

const DRAFT = 'code';
const CODE_LENGTH = 30;
const NO_CODE = 'Please enter the coupon code to update';

/** A code that makes the next bill smaller. */
export default function CouponPage() {
  const { data: site } = useQuery(siteOptions);
  return (
    <Page>
      <BackLink to={paths.dashboard} />
      <PageHeading lead="It is taken off your next bill. Nothing is charged today.">
        Redeem your code
      </PageHeading>
      <Card className={styles.card}>
        <CodeForm />
        {site && <LegalLinks termsUrl={site.brand.termsUrl} privacyUrl={site.brand.privacyUrl} />}
      </Card>
    </Page>
  );
}

/** Sends the code; a success is told on the summary. */
function useRedeem(onRefused: (message: string) => void) {
  const navigate = useNavigate();
  const { settled, stale } = usePlansAfterChange();
  return useCommand<Redeemed, { code: string }>(redeem, {
    onSuccess: async (answer) => {
      useSnackbar.getState().hide();
      const plans = await settled();
      // A session that expired just now has left the code behind, which is spent.
      useDrafts.getState().forget(DRAFT);
      void navigate(paths.summary, { state: toReceipt([redeemedSentence(answer)], plans) });
    },
    onError: (error) => {
      stale();
      notifyError(error);
      if (!isUnconfirmed(error)) onRefused(messageOf(error));
    },
  });
}

function CodeForm() {
  const [code, setCode] = useFormDraft(DRAFT, '');
  const [error, setError] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const refuse = (message: string) => {
    setError(message);
    field.current?.focus();
  };
  const redeeming = useRedeem(refuse);

  const apply = (event: FormEvent) => {
    event.preventDefault();
    const typed = code.trim();
    if (typed !== '') return redeeming.mutate({ code: typed });
    notify(NO_CODE, 'warning');
    refuse(NO_CODE);
  };
  return (
    <form className={styles.form} onSubmit={apply} noValidate>
      <TextField
        ref={field}
        label="Code"
        value={code}
        maxLength={CODE_LENGTH}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        error={error}
        onChange={(event) => {
          setCode(event.target.value);
          setError(null);
        }}
      />
      <Button type="submit" busy={redeeming.isPending} block>
        APPLY
      </Button>
    </form>
  );
}
