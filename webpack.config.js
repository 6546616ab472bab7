import path from 'node:path';
import { fileURLToPath } from 'node:url';
import CssMinimizerPlugin from 'css-minimizer-webpack-plugin';
import MiniCssExtractPlugin from 'mini-css-extract-plugin';
import BundleTracker from 'webpack-bundle-tracker';

const root = path.dirname(fileURLToPath(import.meta.url));
const source = path.join(root, 'frontend/src');
const output = path.join(root, 'frontend/dist');

const swc = {
  loader: 'swc-loader',
  options: {
    jsc: {
      parser: { syntax: 'typescript', tsx: true },
      target: 'es2022',
      transform: { react: { runtime: 'automatic' } },
    },
  },
};

/** Class names include the file name in development; production names are shorter. */
const css = (mode) => [
  MiniCssExtractPlugin.loader,
  {
    loader: 'css-loader',
    options: {
      importLoaders: 0,
      modules: {
        auto: true,
        namedExport: false,
        exportLocalsConvention: 'as-is',
        localIdentName:
          mode === 'production' ? '[local]-[hash:base64:4]' : '[name]__[local]--[hash:base64:5]',
      },
    },
  },
];

/** Also lists the chunks of each screen by path, so that Django can preload them with the page. */
class ScreenTracker extends BundleTracker {
  apply(compiler) {
    compiler.hooks.done.tap('ScreenTracker', ({ compilation }) => {
      const initialFiles = new Set(
        [...compilation.entrypoints.values()].flatMap((entrypoint) => entrypoint.getFiles()),
      );
      const namedGroups = compilation.chunkGroups.filter(
        (group) => !group.isInitial() && group.name,
      );
      this.contents.screens = Object.fromEntries(
        namedGroups.map((group) => [
          group.name,
          group.getFiles().filter((file) => !initialFiles.has(file) && /\.(js|css)$/.test(file)),
        ]),
      );
    });
    super.apply(compiler);
  }
}

/** The browser bundle. Django finds its files through `webpack-stats.json`. */
export default (_env, { mode = 'production' }) => ({
  mode,
  context: root,
  target: ['web', 'es2022'],
  // A small script first requests the screen's data. React starts in a script of its own, so that
  // the browser may handle input before the app starts.
  entry: {
    start: './frontend/src/app/start.ts',
    react: { import: 'react-dom/client', dependOn: 'start' },
    main: { import: './frontend/src/app/main.tsx', dependOn: 'react' },
  },
  output: {
    path: output,
    publicPath: '/static/app/',
    filename: '[name].[contenthash:12].js',
    chunkFilename: '[id].[contenthash:12].js',
    assetModuleFilename: '[name].[contenthash:12][ext]',
    crossOriginLoading: 'anonymous',
    // Under Trusted Types, loading a lazy chunk needs a policy of this name.
    trustedTypes: 'webpack',
    clean: true,
  },
  resolve: {
    extensions: ['.tsx', '.ts', '.js'],
    alias: { '@': source },
  },
  module: {
    rules: [
      { test: /\.tsx?$/, include: source, use: swc },
      { test: /\.css$/, use: css(mode) },
      { test: /\.woff2$/, type: 'asset/resource' },
    ],
  },
  plugins: [
    new MiniCssExtractPlugin({
      filename: '[name].[contenthash:12].css',
      chunkFilename: '[id].[contenthash:12].css',
      // CSS Modules are scoped by name, so the order of files does not matter.
      ignoreOrder: true,
    }),
    new ScreenTracker({ path: output, filename: 'webpack-stats.json', relativePath: true }),
  ],
  optimization: {
    runtimeChunk: 'single',
    splitChunks: { chunks: 'all' },
    minimizer: ['...', new CssMinimizerPlugin()],
  },
  // The Content-Security-Policy forbids eval, so development builds use separate source maps.
  devtool: mode === 'production' ? false : 'source-map',
  // Uncompressed sizes. The goal is that React, router, query and the frame stay near 105 kB gzipped.
  performance: {
    hints: mode === 'production' ? 'error' : false,
    maxEntrypointSize: 240 * 1024,
    maxAssetSize: 230 * 1024,
  },
});
