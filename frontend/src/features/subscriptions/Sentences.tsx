import { Dated } from '@/ui/Dated';
import styles from './subscriptions.module.css';

/** Several sentences, one under the other. */
export function Sentences({ sentences }: { sentences: readonly string[] }) {
  return (
    <div className={styles.sentences}>
      {sentences.map((sentence) => (
        <p key={sentence}>
          <Dated>{sentence}</Dated>
        </p>
      ))}
    </div>
  );
}
