import { UnbrokenDates } from '@/ui/text/UnbrokenDates';
import styles from './subscriptions.module.css';

/** Sentences, each in a paragraph. What is true of several plans of one name is said once. */
export function Sentences({ sentences }: { sentences: readonly string[] }) {
  return (
    <div className={styles.sentences}>
      {[...new Set(sentences)].map((sentence) => (
        <p key={sentence}>
          <UnbrokenDates>{sentence}</UnbrokenDates>
        </p>
      ))}
    </div>
  );
}
