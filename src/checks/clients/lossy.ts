/**
 * The features whose lack loses content or breaks the layout. Where another feature is missing, a mail only looks
 * plainer: it has square corners, another font, or no animation.
 */
export const LOSSY: ReadonlySet<string> = new Set([
  'css-display-flex',
  'css-display-grid',
  'css-inset',
  'css-modern-color',
  'css-nesting',
  'css-position',
  'css-variables',
  'html-base',
  'html-dialog',
  'html-form',
  'html-input-checkbox',
  'html-input-radio',
  'html-input-submit',
  'html-input-text',
  'html-link',
  'html-meter',
  'html-object',
  'html-popover',
  'html-progress',
  'html-select',
  'html-svg',
  'html-textarea',
  'image-avif',
  'image-base64',
  'image-hdr',
  'image-heif',
  'image-mp4',
  'image-svg',
  'image-tiff',
  'image-webp',
]);

/**
 * The features that no finding reports: no reader notices their lack, or every HTML mail uses them, so a finding would
 * say nothing about this mail.
 */
export const UNNOTICED: ReadonlySet<string> = new Set([
  'amp',
  'bimi',
  'css-comments',
  'css-cursor',
  'css-important',
  'css-selector-class',
  'css-selector-grouping',
  'css-selector-id',
  'css-selector-type',
  'css-selector-universal',
  'css-text-underline-position',
  'css-user-select',
  'html-abbr',
  'html-aria-describedby',
  'html-aria-hidden',
  'html-aria-label',
  'html-aria-labelledby',
  'html-aria-live',
  'html-body',
  'html-comments',
  'html-doctype',
  'html-lang',
  'html-loading-attribute',
  'html-meta-color-scheme',
  'html-role',
  'html-target',
]);
