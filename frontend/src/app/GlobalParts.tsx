import { useLoader } from '@/stores/loader';
import { useSnackbar } from '@/stores/snackbar';
import { LoaderOverlay } from '@/ui/LoaderOverlay';
import { Snackbar } from '@/ui/Snackbar';

/** The one 'Loading' overlay and the one snackbar, drawn from their stores. */
export function GlobalParts() {
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
