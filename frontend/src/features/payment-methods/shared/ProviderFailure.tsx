import { ErrorState } from '@/ui/feedback/ErrorState';

interface ProviderFailureProps {
  /** What still works. */
  fallbackHint?: string;
  onRetry: () => void;
}

/** The error state of the provider's part of a page, with a retry button. */
export function ProviderFailure({ fallbackHint = '', onRetry }: ProviderFailureProps) {
  return (
    <ErrorState
      title="The secure payment form didn’t load"
      message={`It comes from our billing provider. A slow connection or a browser extension may be blocking it. ${fallbackHint}`}
      onRetry={onRetry}
    />
  );
}
