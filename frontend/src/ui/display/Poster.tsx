import styles from './Poster.module.css';

interface PosterProps {
  src: string;
  alt: string;
  caption?: string | null;
}

/** A title's portrait picture with an optional caption. Its space is reserved while it loads. */
export function Poster({ src, alt, caption }: PosterProps) {
  return (
    <figure className={styles.figure}>
      <img
        src={src}
        alt={alt}
        width={400}
        height={600}
        loading="lazy"
        decoding="async"
        className={styles.picture}
      />
      {caption && <figcaption className={styles.caption}>{caption}</figcaption>}
    </figure>
  );
}
