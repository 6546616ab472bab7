import { UnbrokenDates } from '@/ui/text/UnbrokenDates';
import styles from './subscriptions.module.css';

/** Sentences, each in a paragraph. */
export function Sentences({ sentences }: { sentences: readonly string[] }) {
  return (
    <div className={styles.sentences}>
      {sentences.map((sentence) => (
        <p key={sentence}>
          <UnbrokenDates>{sentence}</UnbrokenDates>
        </p>
      ))}
    </div>
  );
}
