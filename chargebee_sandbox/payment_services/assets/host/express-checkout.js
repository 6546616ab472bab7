/* PayPal Express Checkout's script, the SDK's predecessor. */

const HEIGHTS = { small: 25, medium: 35, large: 45 };

window.paypal = {
  version: '4.0.0',
  Button: {
    render({ style = {}, payment, onAuthorize, onCancel, onError, onClick }, place) {
      let token;
      const button = new Button({ ...style, height: HEIGHTS[style.size] ?? style.height }, {
        createToken: async () => {
          token = await payment();
          return token;
        },
        click: () => onClick?.(),
        approve: () => onAuthorize({ billingToken: token }),
        cancel: () => onCancel?.({ billingToken: token }),
        fail: (error) => onError?.(error),
      });
      return button.render(place).then(() => ({ close: () => button.close() }));
    },
  },
};
