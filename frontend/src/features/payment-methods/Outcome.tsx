import { InfoAlert } from '@/ui/InfoAlert';

interface OutcomeProps {
  sentences: readonly string[];
  /** What was wanted did not come about, or not all of it. */
  isFailure: boolean;
}

/** What a change has done, said in the page until the next one. */
export function Outcome({ sentences, isFailure }: OutcomeProps) {
  return (
    <InfoAlert tone={isFailure ? 'error' : 'success'}>
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </InfoAlert>
  );
}
