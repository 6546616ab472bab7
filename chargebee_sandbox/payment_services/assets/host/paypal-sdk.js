/* PayPal's SDK with its component "buttons", as a page gets it from /sdk/js. */

window.paypal = {
  version: '5.0.0',
  Buttons({ style = {}, createBillingAgreement, onApprove, onCancel, onError, onClick }) {
    let token;
    const button = new Button(style, {
      createToken: async () => {
        token = await createBillingAgreement();
        return token;
      },
      click: () => onClick?.(),
      approve: () => onApprove({ billingToken: token }),
      cancel: () => onCancel?.({ billingToken: token }),
      fail: (error) => onError?.(error),
    });
    return { isEligible: () => true, render: (place) => button.render(place), close: () => button.close() };
  },
};
