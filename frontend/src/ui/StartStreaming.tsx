import { ButtonAnchor } from '@/ui/Button';
import styles from '@/ui/StartStreaming.module.css';

interface Streamable {
  id: string;
  name: string;
  /** Empty where there is no such site; such a service has no button. */
  streamUrl: string;
}

/** A button per service that opens its site beside the portal. */
export function StartStreaming({ services }: { services: readonly Streamable[] }) {
  const reachable = services.filter(({ streamUrl }) => streamUrl);
  if (reachable.length === 0) return null;
  return (
    <ul aria-label="Start streaming" className={styles.buttons}>
      {reachable.map(({ id, name, streamUrl }) => (
        <li key={id}>
          <ButtonAnchor href={streamUrl} newTab block>
            Start streaming {name}
          </ButtonAnchor>
        </li>
      ))}
    </ul>
  );
}
