import { InfoAlert } from '@/ui/InfoAlert';

interface ChangeOutcomeProps {
  sentences: readonly string[];
  /** The change failed, or was only partly made. */
  isFailure: boolean;
}

/** The result of a change, shown until the next one. */
export function ChangeOutcome({ sentences, isFailure }: ChangeOutcomeProps) {
  return (
    <InfoAlert tone={isFailure ? 'error' : 'success'}>
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </InfoAlert>
  );
}
