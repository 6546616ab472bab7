/*
 * Keeps the preview of a brand's form to the colors that are chosen, with the contrast that WCAG 2.2 defines. What the
 * server checks when the form is saved is in accounts/models/brand_colors.py; the pairs come with the page.
 */
'use strict';

(() => {
  const preview = document.querySelector('.brand-colors');
  if (preview === null) return;
  const warning = preview.querySelector('.brand-colors__warning');
  const hoverShare = Number(preview.dataset.hoverShare);

  const channels = (color) => [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));

  const mix = (color, end, share) => {
    const target = channels(end);
    const mixed = channels(color).map((value, place) => Math.round(value + (target[place] - value) * share));
    return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
  };

  const luminance = (color) => {
    const [red, green, blue] = channels(color)
      .map((value) => value / 255)
      .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };

  const contrast = (color, other) => {
    const [darker, lighter] = [luminance(color), luminance(other)].sort((one, two) => one - two);
    return (lighter + 0.05) / (darker + 0.05);
  };

  const chosen = (scheme, token) => document.getElementById(`id_${scheme}_${token}`)?.value ?? '#000000';

  const showPair = (row, scheme, backgrounds) => {
    const ratio = contrast(chosen(scheme, row.dataset.token), backgrounds[row.dataset.background]);
    const isReadable = ratio >= Number(row.dataset.required);
    row.querySelector('.brand-pairs__ratio').textContent = String(Math.floor(ratio * 100) / 100);
    const pill = row.querySelector('.pill');
    pill.classList.toggle('pill--good', isReadable);
    pill.classList.toggle('pill--bad', !isReadable);
    return isReadable;
  };

  const showScheme = (part) => {
    const { scheme, surface, hoverEnd } = part.dataset;
    const primary = chosen(scheme, 'primary');
    const backgrounds = { page: surface, primary, hover: mix(primary, hoverEnd, hoverShare) };
    const { style } = part.querySelector('.brand-sample');
    for (const token of ['primary', 'onPrimary', 'accent', 'link']) style.setProperty(`--${token}`, chosen(scheme, token));
    style.setProperty('--hover', backgrounds.hover);
    return [...part.querySelectorAll('[data-token]')].filter((row) => !showPair(row, scheme, backgrounds)).length;
  };

  const showAll = () => {
    let failing = 0;
    for (const part of preview.querySelectorAll('[data-scheme]')) failing += showScheme(part);
    warning.hidden = failing === 0;
    const pairs = failing === 1 ? '1 pair of colors has' : `${failing} pairs of colors have`;
    warning.textContent = failing === 0 ? '' : `${pairs} too little contrast. The brand can’t be saved like this.`;
  };

  for (const input of document.querySelectorAll('input[type=color]')) input.addEventListener('input', showAll);
  showAll();
})();
