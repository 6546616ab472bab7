import { useState } from 'react';
import { useLocation, useSearchParams } from 'react-router-dom';
import { ChangeFailure } from '@/domain/changes/ChangeFailure';
import { useReportUndone } from '@/domain/changes/useReportUndone';
import type { Account, Plan } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { useLoader } from '@/stores/loader';
import { Button } from '@/ui/buttons/Button';
import { ConfirmModal } from '@/ui/dialogs/ConfirmModal';
import { Dialog } from '@/ui/dialogs/Dialog';
import { useFocusHeadingAfterClose } from '@/ui/lostFocus';
import {
  findUndoable,
  nothingScheduledMessage,
  type Undoable,
  undoMessages,
  useUndoActions,
} from './undoMessages';

/** The query parameter with the subscription whose scheduled change a link from an email undoes. */
const UNDO_PARAMETER = 'undo';

/** What is asked after a navigation, with the plan as it was then. */
interface Question {
  navigation: string;
  plan: Plan | undefined;
}

/**
 * Asks for confirmation before undoing what a link from an email names, or says that nothing is
 * scheduled any more. The dialog keeps the plan as it was when it opened, also while it closes.
 */
export function UndoFromLink({ account }: { account: Account }) {
  const [query, setQuery] = useSearchParams();
  const idInUrl = query.get(UNDO_PARAMETER);
  const { key: navigation } = useLocation();
  const [question, setQuestion] = useState<Question | null>(null);
  if (idInUrl && navigation !== question?.navigation) {
    setQuestion({ navigation, plan: account.plans.find(({ subId }) => subId === idInUrl) });
  }
  const close = () => {
    const newQuery = new URLSearchParams(query);
    newQuery.delete(UNDO_PARAMETER);
    setQuery(newQuery, { replace: true });
  };
  useFocusHeadingAfterClose(idInUrl !== null);
  if (!question) return null;
  const undoable = question.plan ? findUndoable(question.plan) : null;
  const common = { open: idInUrl !== null, onClose: close };
  return question.plan && undoable ? (
    <UndoDialog {...common} key={question.navigation} plan={question.plan} undoable={undoable} />
  ) : (
    <NothingToUndoDialog {...common} email={account.email} plan={question.plan} />
  );
}

interface UndoDialogProps {
  open: boolean;
  onClose: () => void;
  plan: Plan;
  undoable: Undoable;
}

function UndoDialog({ open, onClose, plan, undoable }: UndoDialogProps) {
  const undoCommand = useUndoActions(useReportUndone(paths.dashboard))[undoable];
  const loaderNote = useLoader(({ message }) => message);
  const { title, sentences, confirm } = undoMessages(undoable, plan);
  return (
    <ConfirmModal
      open={open}
      title={title}
      confirmBtnText={confirm}
      cancelBtnText="Not now"
      busy={undoCommand.isPending}
      busyNote={loaderNote}
      onConfirm={() => undoCommand.mutate({ plan })}
      onCancel={onClose}
    >
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {undoCommand.isError && <ChangeFailure error={undoCommand.error} />}
    </ConfirmModal>
  );
}

interface NothingToUndoDialogProps {
  open: boolean;
  onClose: () => void;
  email: string;
  plan: Plan | undefined;
}

function NothingToUndoDialog({ open, onClose, email, plan }: NothingToUndoDialogProps) {
  return (
    <Dialog
      open={open}
      title="Nothing to undo"
      footer={<Button onClick={onClose}>Go to your account</Button>}
      onClose={onClose}
    >
      <p>{nothingScheduledMessage(plan)}</p>
      {!plan && <p>You’re signed in as {email}.</p>}
    </Dialog>
  );
}
