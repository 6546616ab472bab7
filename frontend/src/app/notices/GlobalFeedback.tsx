import { useLoader } from '@/stores/loader';
import { useSnackbar } from '@/stores/snackbar';
import { Snackbar } from '@/ui/feedback/Snackbar';
import { LoaderOverlay } from '@/ui/loading/LoaderOverlay';

/** The global 'Loading' overlay and snackbar, rendered from their stores. */
export function GlobalFeedback() {
  return (
    <>
      <GlobalLoader />
      <GlobalSnackbar />
    </>
  );
}

function GlobalLoader() {
  const { pending, message } = useLoader();
  return pending > 0 ? <LoaderOverlay message={message} /> : null;
}

function GlobalSnackbar() {
  const { visible, content, severity, sequence, hide } = useSnackbar();
  return (
    <Snackbar
      visible={visible}
      content={content}
      severity={severity}
      sequence={sequence}
      onHide={hide}
    />
  );
}
