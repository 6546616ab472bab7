import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router-dom';

import type { Account, Plan } from '@/lib/api/types';
import { CONFIRMING_MESSAGE, isUnconfirmed, messageOf } from '@/lib/errors';
import { useLoader } from '@/stores/loader';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { InfoAlert } from '@/ui/InfoAlert';
import { nothingScheduledWords, type Undoable, undoableOf, undoWords, useUndoing } from './undoing';
import { useTellUndone } from './useTellUndone';

/** The subscription whose schedule a link from a mail wants to take back. */
const UNDO = 'undo';

/**
 * Asks before it takes back what the address names, as the links in mails do; says so where nothing is
 * scheduled any more. What is asked about stays as it was when the question came, also while it closes.
 */
export function UndoLinked({ account }: { account: Account }) {
  const [query, setQuery] = useSearchParams();
  const named = query.get(UNDO);
  const [asked, setAsked] = useState<{ subId: string; plan: Plan | undefined } | null>(null);
  if (named && named !== asked?.subId) {
    setAsked({ subId: named, plan: account.plans.find(({ subId }) => subId === named) });
  }
  const close = () => {
    const left = new URLSearchParams(query);
    left.delete(UNDO);
    setQuery(left, { replace: true });
  };
  useFocusAfter(named !== null);
  if (!asked) return null;
  const undoable = asked.plan ? undoableOf(asked.plan) : null;
  const common = { open: named !== null, onClose: close };
  return asked.plan && undoable ? (
    <UndoDialog {...common} key={asked.subId} plan={asked.plan} undoable={undoable} />
  ) : (
    <NothingDialog {...common} email={account.email} plan={asked.plan} />
  );
}

/** A dialog that came with the page has nothing to give the focus back to when it closes: the heading takes it. */
function useFocusAfter(open: boolean): void {
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !open) document.querySelector('h1')?.focus();
    wasOpen.current = open;
  }, [open]);
}

interface UndoDialogProps {
  open: boolean;
  onClose: () => void;
  plan: Plan;
  undoable: Undoable;
}

function UndoDialog({ open, onClose, plan, undoable }: UndoDialogProps) {
  const undoing = useUndoing(useTellUndone())[undoable];
  const note = useLoader(({ message }) => message);
  const { title, sentences, confirm } = undoWords(undoable, plan);
  const close = () => {
    if (!undoing.isPending) onClose();
  };
  const buttons = (
    <>
      <Button variant="secondary" onClick={close}>
        Not now
      </Button>
      <Button busy={undoing.isPending} onClick={() => undoing.mutate({ plan })}>
        {confirm}
      </Button>
    </>
  );
  return (
    <Dialog open={open} title={title} footer={buttons} onClose={close}>
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {undoing.isError && <Refusal error={undoing.error} />}
      <div role="status">{undoing.isPending && note && <p>{note}</p>}</div>
    </Dialog>
  );
}

function Refusal({ error }: { error: Error }) {
  if (isUnconfirmed(error)) return <InfoAlert>{CONFIRMING_MESSAGE}</InfoAlert>;
  return <InfoAlert tone="error">{messageOf(error)}</InfoAlert>;
}

interface NothingDialogProps {
  open: boolean;
  onClose: () => void;
  email: string;
  plan: Plan | undefined;
}

function NothingDialog({ open, onClose, email, plan }: NothingDialogProps) {
  return (
    <Dialog
      open={open}
      title="There is nothing left to take back"
      footer={<Button onClick={onClose}>Go to your account</Button>}
      onClose={onClose}
    >
      <p>{nothingScheduledWords(plan)}</p>
      {!plan && <p>You are signed in as {email}.</p>}
    </Dialog>
  );
}
