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

/** Class names tell a developer where they come from; in production only what they are: that is less to fetch. */
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

/** Tells Django of the screens' files, too, by their paths: a page asks for them together with the app's. */
class ScreenTracker extends BundleTracker {
  apply(compiler) {
    compiler.hooks.done.tap('ScreenTracker', ({ compilation }) => {
      const everywhere = new Set(compilation.entrypoints.get('main')?.getFiles());
      const named = compilation.chunkGroups.filter((group) => !group.isInitial() && group.name);
      this.contents.screens = Object.fromEntries(
        named.map((group) => [
          group.name,
          group.getFiles().filter((file) => !everywhere.has(file) && /\.(js|css)$/.test(file)),
        ]),
      );
    });
    super.apply(compiler);
  }
}

/** The browser's bundle. Django finds what was built through `webpack-stats.json`. */
export default (_env, { mode = 'production' }) => ({
  mode,
  context: root,
  target: ['web', 'es2022'],
  entry: { main: './frontend/src/app/main.tsx' },
  output: {
    path: output,
    publicPath: '/static/app/',
    filename: '[name].[contenthash:16].js',
    chunkFilename: '[id].[contenthash:16].js',
    assetModuleFilename: '[name].[contenthash:16][ext]',
    crossOriginLoading: 'anonymous',
    // Lazy chunks set a script's address: under Trusted Types that needs a policy of this name.
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
      filename: '[name].[contenthash:16].css',
      chunkFilename: '[id].[contenthash:16].css',
      // CSS Modules are scoped by name, so the order of two files cannot change what is drawn.
      ignoreOrder: true,
    }),
    new ScreenTracker({ path: output, filename: 'webpack-stats.json', relativePath: true }),
  ],
  optimization: {
    runtimeChunk: 'single',
    splitChunks: { chunks: 'all' },
    minimizer: ['...', new CssMinimizerPlugin()],
  },
  // The page's Content-Security-Policy forbids eval, so a development build carries real source maps.
  devtool: mode === 'production' ? false : 'source-map',
  // Before compression; what counts is that react, router, query and the shell stay near 105 kB gzip.
  performance: {
    hints: mode === 'production' ? 'error' : false,
    maxEntrypointSize: 360 * 1024,
    maxAssetSize: 310 * 1024,
  },
});
