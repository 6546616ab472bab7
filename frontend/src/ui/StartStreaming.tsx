import { ButtonAnchor } from '@/ui/Button';
import styles from '@/ui/StartStreaming.module.css';

interface Streamable {
  id: string;
  name: string;
  /** Empty where there is no such site; such a service has no button. */
  streamUrl: string;
}

interface StartStreamingProps {
  services: readonly Streamable[];
  /** Something else on the screen is what one came for. */
  quiet?: boolean | undefined;
}

/** A button per service that opens its site beside the portal. */
export function StartStreaming({ services, quiet = false }: StartStreamingProps) {
  const reachable = services.filter(({ streamUrl }) => streamUrl);
  if (reachable.length === 0) return null;
  return (
    <ul aria-label="Start streaming" className={styles.buttons}>
      {reachable.map(({ id, name, streamUrl }) => (
        <li key={id}>
          <ButtonAnchor variant={quiet ? 'secondary' : 'primary'} href={streamUrl} newTab block>
            Start streaming {name}
          </ButtonAnchor>
        </li>
      ))}
    </ul>
  );
}
